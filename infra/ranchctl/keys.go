package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/infra/signingkeys"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/token"
)

// localSecret is the secret's name if the operator gives an endpoint and no name.
const localSecret = "ranch-signing-keys"

// longestLead is the largest value of --signs-in. It is more than a new key needs. It stops a mistyped unit, days
// instead of minutes, which would leave an old key in use.
const longestLead = 24 * time.Hour

// keysCommand is the state that the commands on signing keys share.
type keysCommand struct {
	*app
	secret string
	adopt  bool
}

func newKeys(a *app) *cobra.Command {
	k := &keysCommand{app: a}
	c := group("keys", "List, rotate and retire the keys that sign tokens", k.newList(), k.newRotate(), k.newRetire(), k.newPublish())
	c.PersistentFlags().StringVar(&k.secret, "secret", os.Getenv("SIGNING_KEYS_SECRET"), "the secret's ARN or name")
	c.PersistentFlags().BoolVar(&k.adopt, "adopt", false, "also change a secret with a table that has none of its public keys, such as a new table")
	return c
}

func (k *keysCommand) newList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List the keys: which one signs, and when an old one can be retired", Example: "  ranchctl keys list",
		RunE: k.action(func(ctx context.Context, _ []string) error {
			return k.onSecret(ctx, func(_ context.Context, _ signingkeys.Secret, v signingkeys.Version) error { return k.print(v) })
		})}
}

func (k *keysCommand) newRotate() *cobra.Command {
	var file, signsIn string
	c := &cobra.Command{Use: "rotate [--signs-in DURATION] [--key-file FILE]",
		Short:   "Add a key that signs after ten minutes, when all functions know it; no player is logged out",
		Example: "  ranchctl keys rotate --dry-run\n  ranchctl keys rotate --yes"}
	f := c.Flags()
	f.StringVar(&signsIn, "signs-in", token.Lead.String(), "how long the functions know the key before it signs")
	f.StringVar(&file, "key-file", "", "read the new key from this file (default: a random key)")
	c.RunE = k.action(func(ctx context.Context, _ []string) error {
		lead, err := duration("signs-in", signsIn)
		if err != nil {
			return err
		}
		if lead < 0 || lead > longestLead {
			return usagef("--signs-in %v: must be from 0s to %v", lead, longestLead)
		}
		key := signingkeys.NewKey()
		if file != "" {
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			key = strings.TrimRight(string(content), "\r\n")
		}
		if err := signingkeys.CheckKey(key); err != nil {
			return mark(wrongUsage, err)
		}
		if lead < token.Lead {
			k.warn("functions that have not read the new key may refuse its tokens for up to %v; --signs-in %v prevents it", token.ReadingPause, token.Lead)
		}
		return k.replace(ctx, func(v signingkeys.Version) (token.Secret, plan, error) {
			s, kid, err := v.Rotate(key, k.now(), lead)
			return s, plan{change: fmt.Sprintf("add the key %s, which signs from %v on", kid, k.now().Add(lead))}, err
		})
	})
	return previewed(k.app, c)
}

func (k *keysCommand) newRetire() *cobra.Command {
	var leaked bool
	c := &cobra.Command{Use: "retire KID [--leaked]",
		Short:   "Remove an old key after its last token has expired, or a key that does not sign yet",
		Example: "  ranchctl keys retire k1 --yes\n  ranchctl keys retire k1 --leaked --dry-run"}
	c.Flags().BoolVar(&leaked, "leaked", false, "remove a leaked key at once, and log out the players who logged in with it")
	c.RunE = k.action(func(ctx context.Context, args []string) error {
		return k.replace(ctx, func(v signingkeys.Version) (token.Secret, plan, error) {
			p := plan{change: "remove the key " + args[0]}
			if !leaked {
				left, err := v.Retire(args[0], k.now())
				return left, p, err
			}
			left, signed, err := v.RetireLeaked(args[0], k.now())
			p.notes = ofLeak(args[0], signed)
			return left, p, err
		})
	})
	return previewed(k.app, c)
}

func (k *keysCommand) newPublish() *cobra.Command {
	return previewed(k.app, &cobra.Command{Use: "publish", Example: "  ranchctl keys publish --yes",
		Short: "Write the public keys into the table, as rotate, retire and starting functions do",
		RunE: k.action(func(ctx context.Context, _ []string) error {
			return k.changeSecret(ctx, func(s signingkeys.Secret, in operate.Desk, v signingkeys.Version) (plan, error) {
				return plan{
					change: "publish " + counted(len(v.Keys), "public key", "public keys"),
					do:     func(ctx context.Context, _ operate.Operator) error { return publish(ctx, s, in) },
					show:   func(context.Context) error { return k.print(v) },
				}, nil
			})
		})})
}

// publish writes the public keys of the secret's current version into the table.
func publish(ctx context.Context, s signingkeys.Secret, in operate.Desk) error {
	v, err := s.Version(ctx)
	if err != nil {
		return err
	}
	public, err := v.PublicKeys()
	if err != nil {
		return err
	}
	return in.PublishKeys(ctx, public)
}

// ofLeak returns notes for the removal of a leaked key: whom it logs out, and what it does not undo.
func ofLeak(kid string, signed *signingkeys.Signed) []string {
	out := fmt.Sprintf("no live refresh token is signed with the key %s: no player is logged out", kid)
	if signed != nil {
		out = fmt.Sprintf("this logs out the players whose last registration or log-in was between %v and %v; the table does not show who they are",
			signed.From, signed.Until)
	}
	return []string{out, fmt.Sprintf("functions accept the key %s for up to %v more. Until then its holder can act as any player, but cannot log in or refresh: "+
		"refresh tokens need a record in the table. Check 'ledger verify' and the logs; you need not revoke sessions", kid, token.MaxAge)}
}

// replace replaces the secret by the one that become returns. It publishes the new public keys, and shows the new keys.
func (k *keysCommand) replace(ctx context.Context, become func(v signingkeys.Version) (token.Secret, plan, error)) error {
	return k.changeSecret(ctx, func(s signingkeys.Secret, in operate.Desk, v signingkeys.Version) (plan, error) {
		changed, p, err := become(v)
		if err != nil {
			return plan{}, err
		}
		for _, key := range signingkeys.Becoming(changed, k.now()).List(k.now()) {
			p.parts = append(p.parts, fmt.Sprintf("the key %s is %s since %v", key.Kid, key.State, orDash(key.Since)))
		}
		p.do = func(ctx context.Context, _ operate.Operator) error {
			if changed, _, err = become(v); err != nil { // again, since the question may have taken long
				return err
			}
			if err := s.Replace(ctx, v, changed); err != nil {
				return err
			}
			if err := publish(ctx, s, in); err != nil {
				return fmt.Errorf("the secret is changed, but its public keys are not in the table: run 'keys publish' (log-ins do so, too, within %v): %w",
					token.MaxAge, err)
			}
			return nil
		}
		p.show = func(context.Context) error { return k.print(signingkeys.Becoming(changed, k.now())) }
		return p, nil
	})
}

// changeSecret calls read with the secret, the table with the public keys, and the secret's current version. Then it
// carries out the plan that read returns.
func (k *keysCommand) changeSecret(ctx context.Context, read func(signingkeys.Secret, operate.Desk, signingkeys.Version) (plan, error)) error {
	if err := k.find(); err != nil {
		return err
	}
	in, err := k.store(ctx)
	if err != nil {
		return err
	}
	what := "the secret " + k.secret + " and the public keys in " + k.theTable()
	if err := k.banner(ctx, what); err != nil {
		return err
	}
	return k.onSecret(ctx, func(ctx context.Context, s signingkeys.Secret, v signingkeys.Version) error {
		if err := k.together(ctx, in, v); err != nil {
			return err
		}
		p, err := read(s, in, v)
		if err != nil {
			return err
		}
		return k.carryOut(ctx, what, p, func(ctx context.Context) error { return p.make(ctx, operate.Operator{}) })
	})
}

// together returns a refusal if the table has none of the secret's public keys: it may be of another environment, whose
// players the secret's keys would log out.
func (k *keysCommand) together(ctx context.Context, in operate.Desk, v signingkeys.Version) error {
	published, err := in.PublicKeys(ctx)
	if err != nil {
		return err
	}
	if shares, err := v.Shares(published); shares || err != nil || k.adopt {
		return err
	}
	return refusalf("%s has none of the public keys of the secret %s: check --table and --secret. If the table is new or restored, add --adopt", k.theTable(), k.secret)
}

// onSecret connects to the secret, and calls do with it and its current version.
func (k *keysCommand) onSecret(ctx context.Context, do func(context.Context, signingkeys.Secret, signingkeys.Version) error) error {
	if err := k.find(); err != nil {
		return err
	}
	configuration, err := k.connect(ctx)
	if err != nil {
		return err
	}
	manager := secretsmanager.NewFromConfig(configuration, func(o *secretsmanager.Options) {
		o.HTTPClient = &table.Line{Silence: callPatience / 4, Transport: http.DefaultTransport}
	})
	s := signingkeys.NewSecret(manager, k.secret)
	reading, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	v, err := s.Version(reading)
	if err != nil {
		return err
	}
	for kid, key := range v.Keys {
		if err := signingkeys.CheckKey(key); err != nil {
			k.warn("the key %s is unsuitable (%v): rotate, and retire it as soon as possible", kid, err)
		}
	}
	return do(ctx, s, v)
}

// find completes the flags that locate the secret. Without them it uses the running 'make run'.
func (k *keysCommand) find() error {
	if k.endpoint == "" && k.secret == "" {
		stack, err := k.runningStack("--secret")
		if err != nil {
			return err
		}
		if stack.Secret == "" {
			return errors.New("the running 'make run' has no secret, because it signs with a fixed key: start it with ENGINE=localstack, or give --secret")
		}
		k.endpoint, k.table, k.secret = stack.Endpoint, stack.Table, stack.Secret
	}
	k.secret = cmp.Or(k.secret, localSecret)
	return nil
}

func (k *keysCommand) print(v signingkeys.Version) error {
	return listedKeys.list(k.app)(v.List(k.now()), nil)
}

var listedKeys = listing[signingkeys.Key]{"KID STATE SINCE RETIRABLE", func(key signingkeys.Key) []any {
	return []any{key.Kid, key.State, orDash(key.Since), orDash(key.RetirableAt)}
}}
