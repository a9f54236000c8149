package samtemplate

import (
	"slices"
	"strconv"
	"time"
)

// Alarm is an alarm of CloudWatch's, as the template has it.
type Alarm struct {
	LogicalID   string
	Description string
	// Metrics are what it goes by: exactly one of them is compared with the threshold. An alarm on a plain metric has
	// that one alone. All have the same period.
	Metrics []AlarmMetric
	Period  time.Duration
	// Comparison, Missing and Statistic (of a metric) have CloudWatch's names.
	Comparison string
	Threshold  Value
	// It looks at so many periods, and of these so many must breach the threshold.
	EvaluationPeriods, DatapointsToAlarm int
	Missing                              string
	Actions, OKActions                   []Value
}

// AlarmMetric is a metric with its statistic, or an expression of others.
type AlarmMetric struct {
	ID         string // "" for that of an alarm on a plain metric
	Expression string // "" for a metric
	Compared   bool   // whether it is what the alarm compares
	Namespace  Value
	Name       string
	Dimensions map[string]Value
	Statistic  string // Sum, Maximum, p99, ...
}

// mostAlarmMetrics is how many metrics an alarm's expressions may go by (Amazon CloudWatch User Guide, "Alarm limits").
const mostAlarmMetrics = 10

// How CloudWatch writes what alarms may say, as far as it is known here.
var (
	comparisons = []string{
		"GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold",
	}
	missingTreatments = []string{"breaching", "notBreaching", "ignore", "missing"}
)

func (t *Template) readAlarm(resource property) {
	p := resource.get("Properties")
	p.only("AlarmName", "AlarmDescription", "AlarmActions", "OKActions", "Metrics", "Namespace", "MetricName", "Dimensions", "Statistic", "ExtendedStatistic",
		"Period", "ComparisonOperator", "Threshold", "EvaluationPeriods", "DatapointsToAlarm", "TreatMissingData")
	for _, name := range []string{"AlarmDescription", "ComparisonOperator", "Threshold", "EvaluationPeriods", "TreatMissingData"} {
		p.get(name).required()
	}
	a := Alarm{
		LogicalID: resource.name, Description: p.get("AlarmDescription").text(), Comparison: p.get("ComparisonOperator").text(),
		Threshold: p.get("Threshold").value(), EvaluationPeriods: p.get("EvaluationPeriods").integer(),
		DatapointsToAlarm: p.get("DatapointsToAlarm").integer(), Missing: p.get("TreatMissingData").text(),
		Actions: p.get("AlarmActions").values(), OKActions: p.get("OKActions").values(),
	}
	if a.DatapointsToAlarm == 0 {
		a.DatapointsToAlarm = a.EvaluationPeriods
	}
	if a.EvaluationPeriods < 1 || a.DatapointsToAlarm > a.EvaluationPeriods {
		p.fail("%d of %d periods are none that an alarm can have", a.DatapointsToAlarm, a.EvaluationPeriods)
	}
	if !slices.Contains(comparisons, a.Comparison) {
		p.get("ComparisonOperator").fail("want one of %v", comparisons)
	}
	if !slices.Contains(missingTreatments, a.Missing) {
		p.get("TreatMissingData").fail("want one of %v", missingTreatments)
	}
	for _, action := range slices.Concat(a.Actions, a.OKActions) {
		if !t.OfType(action.Ref, "AWS::SNS::Topic") {
			p.get("AlarmActions").fail("want a !Ref to a topic, not %s", action)
		}
	}
	if several := p.get("Metrics"); several.present() {
		a.readMetrics(several)
	} else {
		a.readMetric(p)
	}
	if watched := a.Period * time.Duration(a.EvaluationPeriods); watched > day && a.Period < time.Hour || watched > 7*day {
		p.fail("it looks at %v: CloudWatch takes a day, or a week where the period is an hour or more", watched)
	}
	t.Alarms = append(t.Alarms, a)
}

const day = 24 * time.Hour

// readMetric reads the metric of an alarm without expressions.
func (a *Alarm) readMetric(p property) {
	m := AlarmMetric{Compared: true, Statistic: p.get("Statistic").text()}
	if extended := p.get("ExtendedStatistic"); extended.present() {
		m.Statistic = extended.text()
	}
	a.readPeriod(p.get("Period"))
	m.readSource(p)
	a.Metrics = append(a.Metrics, m)
}

func (a *Alarm) readMetrics(several property) {
	metrics, compared := 0, 0
	for _, p := range several.items() {
		p.only("Id", "Expression", "ReturnData", "MetricStat")
		m := AlarmMetric{ID: p.get("Id").text(), Expression: p.get("Expression").text()}
		m.Compared = !p.get("ReturnData").present() || p.get("ReturnData").boolean()
		if stat := p.get("MetricStat"); stat.present() {
			stat.only("Period", "Stat", "Metric")
			metrics++
			a.readPeriod(stat.get("Period"))
			stat.get("Metric").only("Namespace", "MetricName", "Dimensions")
			m.Statistic = stat.get("Stat").text()
			m.readSource(stat.get("Metric"))
		}
		if (m.Expression == "") != (m.Name != "") {
			p.fail("want an expression or a metric")
		}
		if slices.ContainsFunc(a.Metrics, func(other AlarmMetric) bool { return other.ID == m.ID }) || m.ID == "" {
			p.fail("want an id of its own, not %q", m.ID)
		}
		if m.Compared {
			compared++
		}
		a.Metrics = append(a.Metrics, m)
	}
	if compared != 1 {
		several.fail("%d of them are compared with the threshold, want 1: the others say ReturnData: false", compared)
	}
	if metrics > mostAlarmMetrics {
		several.fail("%d metrics: CloudWatch takes %d", metrics, mostAlarmMetrics)
	}
}

func (a *Alarm) readPeriod(p property) {
	period := time.Duration(p.integer()) * time.Second
	if period <= 0 || period%time.Minute != 0 || a.Period != 0 && a.Period != period {
		p.fail("want a period of whole minutes, the same for all metrics of an alarm")
	}
	a.Period = period
}

func (m *AlarmMetric) readSource(p property) {
	p.get("Namespace").required()
	p.get("MetricName").required()
	m.Namespace, m.Name, m.Dimensions = p.get("Namespace").value(), p.get("MetricName").text(), map[string]Value{}
	for _, d := range p.get("Dimensions").items() {
		d.only("Name", "Value")
		m.Dimensions[d.get("Name").text()] = d.get("Value").value()
	}
	if !knownStatistic(m.Statistic) {
		p.fail("want a statistic, not %q", m.Statistic)
	}
}

// knownStatistic knows those that have names, and percentiles such as p99 and p99.9.
func knownStatistic(s string) bool {
	if slices.Contains([]string{"Sum", "Average", "Minimum", "Maximum", "SampleCount"}, s) {
		return true
	}
	if len(s) < 2 || s[0] != 'p' {
		return false
	}
	p, err := strconv.ParseFloat(s[1:], 64)
	return err == nil && p > 0 && p <= 100
}
