// Package dynamo keeps the catalogue, and all that is kept beside it, in one
// DynamoDB table. It never scans: keys.go lists every access.
//
// A catalogue version is written aside, chunk by chunk, under a name that no other
// publication ever has; then one transaction makes it current, on the condition
// that nothing else was published since. A publisher that dies at any point leaves
// the current version as it was, and the next one clears away what it wrote.
//
// Every write is safe to repeat. A write whose answer was lost is read back, so
// that it counts as done exactly if it was.
package dynamo

import (
	"fmt"
	"hash/fnv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tierwise/tierwise/catalog"
)

// The key attributes of the table.
const (
	partition = "PK"
	sorting   = "SK"
)

// Every item, with the operations on it. Reports, who sent them and codes have the
// attribute expires, by which the table deletes them.
//
//	PK                    SK                  what                   access
//	CATALOG               CURRENT             current publication    GetItem; Put in a transaction, on condition of its sequence
//	LOG                   <sequence>#<nonce>  publication            Query backwards; Put; Update, Delete one
//	SET#<set>             <number>            chunk of a catalogue   Query; BatchWrite
//	HISTORY#<offer>       <date>#<hash>       price point            Query; BatchWrite
//	BOX#<box>             BOX                 box, by its key        GetItem; Put if absent; Update
//	BOX#<machine>         KEY#<box>           key of a machine       Query; Put; BatchWrite
//	BOX#<machine>         REPORT#<report>     payload of a report    GetItem; Query; Put with the report; BatchWrite
//	REPORTS#<day>#<0-f>   <report>#<machine>  report                 Query each of 16; Put with its payload; BatchWrite
//	REPORT#<report>       SENDER              who sent a report      GetItem; Put if absent, with the report; BatchWrite
//	GPU#<hash>            SEEN                where a GPU was        BatchGet; Put with a report, on condition of its nonce; Delete
//	CODE#<code>           CODE                enrolment code         GetItem; Put if absent; Update
//	REFUSALS              <reason>            how many reports       Query; Update
//	COEFFICIENTS          <gpu>#<prov>#<sku>  coefficient            Query; Put if newer
//	TENANT#<tenant>       KEY#<key>           API key                GetItem; Query; Put if absent; Update
//	TENANT#<tenant>       OVERRIDES           own prices             GetItem; Put on condition of its revision
//	TENANT#<tenant>       PORTFOLIO#<id>      portfolio              GetItem; Put, Delete on condition of its revision
//	TENANTS               <tenant>            a tenant exists        Query; Put with a key
//	FEEDS                 <feed>              runs of a feed         Query; Put
//	HELD#<feed>           <row>               row in quarantine      Query; BatchWrite; Update
type itemKey struct{ pk, sk string }

// attributes are the key as the API takes it.
func (k itemKey) attributes() map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		partition: &types.AttributeValueMemberS{Value: k.pk},
		sorting:   &types.AttributeValueMemberS{Value: k.sk},
	}
}

const (
	logPartition          = "LOG"
	coefficientsPartition = "COEFFICIENTS"
	tenantsPartition      = "TENANTS"
	feedsPartition        = "FEEDS"
	refusalsPartition     = "REFUSALS"
	reportPrefix          = "REPORT#"
	keyPrefix             = "KEY#"
)

func currentKey() itemKey { return itemKey{"CATALOG", "CURRENT"} }

func logKey(sequence int64, nonce string) itemKey {
	return itemKey{logPartition, fmt.Sprintf("%019d#%s", sequence, nonce)}
}

func chunkKey(set string, number int) itemKey {
	return itemKey{"SET#" + set, fmt.Sprintf("%06d", number)}
}

func historyPartition(offer catalog.OfferID) string { return "HISTORY#" + string(offer) }

func boxKey(id catalog.BoxID) itemKey { return itemKey{"BOX#" + string(id), "BOX"} }

func machineKey(machine, id catalog.BoxID) itemKey {
	return itemKey{boxKey(machine).pk, keyPrefix + string(id)}
}

func payloadKey(machine catalog.BoxID, report string) itemKey {
	return itemKey{boxKey(machine).pk, reportPrefix + report}
}

func senderKey(report string) itemKey { return itemKey{reportPrefix + report, "SENDER"} }

func sightingKey(gpu catalog.GPUHash) itemKey { return itemKey{"GPU#" + string(gpu), "SEEN"} }

func codeKey(id catalog.CodeID) itemKey { return itemKey{"CODE#" + string(id), "CODE"} }

func refusalKey(reason string) itemKey { return itemKey{refusalsPartition, reason} }

// reportShards is how many partitions share the reports of a day: one partition
// takes 1,000 writes a second.
const reportShards = 16

func reportsPartition(day string, shard uint32) string {
	return fmt.Sprintf("REPORTS#%s#%x", day, shard)
}

func reportKey(day, report string, box catalog.BoxID) itemKey {
	h := fnv.New32a()
	h.Write([]byte(report))
	return itemKey{reportsPartition(day, h.Sum32()%reportShards), report + "#" + string(box)}
}

func tenantPartition(tenant catalog.TenantID) string { return "TENANT#" + string(tenant) }

func apiKeyKey(tenant catalog.TenantID, id catalog.KeyID) itemKey {
	return itemKey{tenantPartition(tenant), keyPrefix + string(id)}
}

func overridesKey(tenant catalog.TenantID) itemKey {
	return itemKey{tenantPartition(tenant), "OVERRIDES"}
}

func portfolioKey(tenant catalog.TenantID, id catalog.PortfolioID) itemKey {
	return itemKey{tenantPartition(tenant), "PORTFOLIO#" + string(id)}
}

func tenantKey(tenant catalog.TenantID) itemKey { return itemKey{tenantsPartition, string(tenant)} }

func feedRunKey(name catalog.FeedName) itemKey { return itemKey{feedsPartition, string(name)} }

func heldPartition(of catalog.FeedName) string { return "HELD#" + string(of) }

func heldKey(of catalog.FeedName, id catalog.HeldID) itemKey {
	return itemKey{heldPartition(of), string(id)}
}
