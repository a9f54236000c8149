package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// A partition key cannot stand where a sort key belongs: the two are types of their own.
type (
	pk string
	sk string
)

// key names one item. Item structs embed it.
type key struct {
	PK pk `dynamodbav:"PK"`
	SK sk `dynamodbav:"SK"`
}

func (k key) attributes() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: string(k.PK)},
		"SK": &types.AttributeValueMemberS{Value: string(k.SK)},
	}
}

// Prefixes of the sort keys that are queried by range.
const (
	animalPrefix       sk = "ANIMAL#"
	ledgerPrefix       sk = "LEDGER#"
	claimPrefix        sk = "CLAIM#"
	entryPrefix        sk = "ENTRY#"
	gateSK             sk = "GATE"
	activeSeasonPrefix sk = "ACTIVE#"
	seasonPrefix       sk = "SEASON#"
)

const seasonsPK pk = "SEASON"

func userPK(user game.ID) pk { return pk("USER#" + user) }

func emailKey(email string) key       { return key{pk("EMAIL#" + email), "EMAIL"} }
func usernameKey(username string) key { return key{pk("USERNAME#" + username), "USERNAME"} }
func userKey(user game.ID) key        { return key{userPK(user), "PROFILE"} }
func tokenKey(digest string) key      { return key{pk("TOKEN#" + digest), "TOKEN"} }
func showKey(show game.ID) key        { return key{pk("SHOW#" + show), "SHOW"} }

func animalKey(owner, animal game.ID) key { return key{userPK(owner), animalPrefix + sk(animal)} }

// ledgerKey pads the sequence so that rows sort by it: 12 digits are 31 years of a change every millisecond.
func ledgerKey(user game.ID, seq int64) key {
	return key{userPK(user), ledgerPrefix + sk(fmt.Sprintf("%012d", seq))}
}

// participationPrefix is what the sort keys of a user's participations in one season begin with.
func participationPrefix(season game.ID) sk { return seasonPrefix + sk(season) + "#SHOW#" }

func participationKey(user, season, show game.ID) key {
	return key{userPK(user), participationPrefix(season) + sk(show)}
}

func seasonKey(season game.ID) key { return key{seasonsPK, seasonPrefix + sk(season)} }

// activeSeasonKey sorts by start, then id: the first one is the season that counts.
func activeSeasonKey(s game.Season) key {
	return key{seasonsPK, activeSeasonPrefix + sk(s.StartDate.String()) + "#" + sk(s.ID)}
}

func gatePK(show game.ID, gate int) pk   { return pk(fmt.Sprintf("SHOW#%s#%d", show, gate)) }
func gateKey(show game.ID, gate int) key { return key{gatePK(show, gate), gateSK} }

// sheetKey has a partition of its own, so that a large judging is not one partition's 1,000 write units a second.
func sheetKey(show game.ID, gate, sheet int) key {
	return key{gatePK(show, gate) + pk(fmt.Sprintf("#R#%d", sheet)), "RESULT"}
}

func entryKey(show, animal game.ID, gates int) key {
	return key{gatePK(show, gateOf(animal, gates)), entryPrefix + sk(animal)}
}

func claimKey(show, user game.ID, gates int) key {
	return key{gatePK(show, gateOf(user, gates)), claimPrefix + sk(user)}
}

// boardKey is the row of show on the board of status ("" for all) and tier ("" for any), in the order of lists: by
// closing time, then id.
func boardKey(status game.ShowStatus, tier string, show game.Show) key {
	return key{boardPK(status, tier), sk(show.EntryClosesAt.String()) + "#" + sk(show.ID)}
}

// boardPK escapes the tier, which may be a client's text: whatever it holds, it adds no "#".
func boardPK(status game.ShowStatus, tier string) pk {
	board := "BOARD#all"
	if status != "" {
		board = "BOARD#" + string(status)
	}
	if tier != "" {
		board += "#" + url.PathEscape(tier)
	}
	return pk(board)
}

// gateOf spreads animals (and, for receipts, users) evenly over a show's gates; sheetOf does so over a gate's sheets,
// independently.
func gateOf(id game.ID, gates int) int   { return spread(id, 0) % gates }
func sheetOf(id game.ID, sheets int) int { return spread(id, 4) % sheets }

func spread(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}

// idIn returns the id behind the last "#" of a sort key.
func idIn(s sk) game.ID { return game.ID(s[strings.LastIndexByte(string(s), '#')+1:]) }
