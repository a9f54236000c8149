// Package records has the layout of the table: the keys and items of its records, the conditions and changes of its
// writes, and the packed form of results. It does not send requests. Each item is a struct in the file of its subject.
//
// # Records
//
//	Record          PK               SK                        Notes
//	E-mail address  EMAIL#eee        e                         reserves it, leads to the user, has the password's
//	                                                           hash, and the number of the password; eee = the first
//	                                                           three characters
//	Username        USERNAME#nnn     lower-cased n#n           reserves it; nnn = the first three, lower-cased
//	User            USER#u           PROFILE                   with its ranch; how often its status, names or
//	                                                           password were set; below 1 KB; a deleted one has no
//	                                                           names
//	Animal          USER#u           ANIMAL#a                  with phenotype and genotype, in the order of traits;
//	                                                           how often operators have changed it
//	Ledger row      USER#u           LEDGER#seq                seq has 12 digits, and no gaps if the fees' rows count
//	Participation   USER#u           SEASON#s#SHOW#w#ANIMAL#a  an entry as its player has it: its time, the animal's
//	                                                           name, the fee's ledger row, and the number of the row
//	                                                           that refunded the fee
//	Refresh record  TOKEN#sha256     TOKEN                     TTL
//	Show            SHOW#w           SHOW                      never part of an entry's transaction; the lease (a lock
//	                                                           with a time limit); who judged it; its verdict; up to
//	                                                           100 results by player; how often its terms changed
//	Gate k of N     G#shard#digest   closesAt w k              counts a part of an open show's entries; see GateKey;
//	                                                           how often the show's terms changed
//	Entry           SHOW#w#p         ENTRY#a                   p = hash of the animal mod N, mod 4; with the animal's
//	                                                           traits and the player's username
//	Sheet j of M    SHOW#w#R#v#Sj    SHEET                     results by player, of a show of more than 100 entries;
//	                                                           v = verdict, the random name of a judging's results;
//	                                                           j = hash of the player mod M
//	Page n          SHOW#w#R#v#Pb    PAGE#n                    100 entries of verdict v in the order of the list;
//	                                                           b = n mod 16
//	Receipt         SHOW#w#R#v#Pb    CLAIM#place               one for each page that the player has entries on,
//	                                                           under the first of their places
//	Changed animal  CHANGED          ANIMAL#a                  an operator has changed it: judgings read the animal
//	Pending work    PENDING          REFUNDS#w, NAMES#u        refunds, a renaming or a deletion that was begun and is
//	                                                           not finished; when it was begun
//	Judged note     JUDGED           SEASON#s#SHOW#w           the show is completed, and may not be in the standings
//	Standings head  STANDINGS        SEASON#s                  of a season: which snapshot of the standings is live; the
//	                                                           last begun fold; players who were deleted or renamed
//	                                                           since
//	Standings page  STANDINGS#s#l#b  PAGE#n                    120 players in order; l = slot, 0 or 1; b = n mod 16;
//	                                                           these and the next two have the number of their fold
//	Standings       STANDINGS#s#l#b  INDEX#j                   the places of the players whose hash selects it: about
//	index                                                      450
//	Folded shows    STANDINGS#s#l    FOLDED#k                  the shows that the fold added, whose notes may still exist
//	Board row       BOARD#status     closesAt#w                status: open, completed, cancelled or all
//	Board row       BOARD#status#t   closesAt#w                of one tier, percent-encoded
//	Season          SEASON           SEASON#s
//	Active season   SEASON           ACTIVE#start#s            a second copy while the season is active
//	Audit record    AUDIT#month      change                    of an operator's change; its id sorts by time; number
//	                                                           and digest, and the digest of the record before
//	Audit head      AUDIT            HEAD                      the number and digest of the last record
//	Layout          LAYOUT           LAYOUT                    the number of all this; programs refuse another one
//	Public keys     KEYS             KEYS                      what verifies tokens; which version of which secret has
//	                                                           the private keys
//
// # Attributes
//
// An attribute has one meaning, in whichever record it is. Names are short: a user's item must stay below 1 KB, and a
// gate's far below. TestLegend compares this list with the items.
//
//	ac   action of an audit record, such as "ban"
//	af   state after an operator's change, as JSON
//	am   amount of a ledger row
//	an   name of an entry's animal, as at the time of entry
//	ao   instant before which the answered judgings are all in the standings
//	at   when an operator's change was begun; in the head, the latest of all
//	av   season: whether it is active
//	ba   balance after a ledger row
//	be   state before an operator's change, as JSON
//	bo   when an animal was born
//	br   breed
//	by   operator who made a change
//	ca   when the record's thing was created
//	cd   when a prize was claimed
//	ch   number of operators' changes of an animal
//	cl   closing time of a show
//	co   condition of an animal
//	ct   category of a ledger row
//	cu   currency of a ledger row
//	d    digest of an audit record
//	de   description of a ledger row
//	di   when an animal died
//	ed   end of a season
//	em   e-mail address of a user
//	en   packed entries of a page of results
//	ex   end of a refresh token
//	fb   number of the last begun fold of standings
//	fe   entry fee of a show
//	fk   rank of the first player on a page of standings
//	fo   packed ids of folded shows
//	fr   fee's ledger row, in a participation
//	g    gold of a user
//	ge   genotype
//	gn   number of a show's gates
//	hd   deleted players, whose names the live standings may have
//	he   health of an animal
//	hp   hash of a password
//	id   the record's own id
//	ix   packed places in the standings
//	jb   who judged a show
//	jd   the call that completed a show
//	ju   when a show was judged
//	k    public keys
//	ki   pairs of breed and rarity of a page
//	l    prestige level of a ranch
//	lb   the call that has a show's lease
//	ll   when the last log-in began
//	ln   number of the layout
//	ls   number of a user's last ledger row
//	lu   end of a show's lease
//	m    most plots of a ranch
//	mr   until when a user may not use the market
//	n    number of entries, in a show or a gate
//	na   the thing's own name: of an animal, a ranch, a season or a show
//	nu   number of an audit record
//	p    plots of a ranch
//	pc   number of the password
//	pd   digest of the audit record before
//	ph   phenotype
//	pl   further places that a receipt is for
//	pm   premium balance
//	pp   prestige points
//	pr   prize that was paid
//	py   number of players in the standings
//	r    ranch
//	rd   renamed players, whose old names the live standings may have
//	re   results by player, packed
//	ref  what a ledger row is about, such as a show
//	rf   when all fees of a show were given back
//	rh   ranch of an animal
//	rk   rank that a claim paid for
//	rm   deleted players, whose names the standings before the live ones may have
//	rn   number of renamings of a show's players
//	rr   number of the ledger row that gave a fee back
//	rs   reason of an operator's change
//	rt   rarity tier of an animal
//	rw   packed players on a page of standings
//	s    secret with the private keys
//	sb   subject of an operator's change
//	sd   start of a season
//	se   season of a show
//	seq  number of a ledger row
//	sg   stage of an animal
//	sh   number of sheets of results
//	si   since when work is pending
//	sl   slot of the live standings
//	sn   number of a snapshot of standings
//	st   status of a user, an animal or a show
//	sx   sex of an animal
//	ti   tier of a show
//	tm   number of changes of a show's terms
//	ttl  when DynamoDB may delete the record, in seconds
//	u    user to whom the record belongs
//	uc   number of a user's changes: of status, names and password
//	un   username of a user, or of an entry's player
//	us   usernames of a page's players
//	vd   verdict: names a show's results
//	vf   "valid from": earlier sessions of the user are revoked
//	w    when the version of the secret was written
//	wc   the call that wrote an entry or a receipt
//	wr   when the successful attempt of a change began
package records
