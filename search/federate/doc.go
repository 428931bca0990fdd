// Package federate makes tables that are not org files readable by queries, and
// mirrors them as headlines.
//
// A [Catalog] implements [oql.Foreign]. It knows two kinds of table: files
// below the directory of the query (CSV, TSV, JSON, NDJSON, SQLite, Parquet),
// and the entities that manifests of toolkits declare:
//
//	#+SLOT: data-source
//	#+ENTITIES: shop-order
//	#+URL: https://api.example.com/orders
//	#+ROWS_PATH: data.items
//	#+ENV_KEYS: SHOP_TOKEN
//
// A [Source] yields rows. It is told what rows will have to meet ([Filter]) and
// may leave out those that cannot: SQLite does so by WHERE, Parquet by skipping
// row groups. The query tests every row all the same, so a source that filters
// little is slow and never wrong.
//
// A document only declares where its rows are. What it may reach is for the
// user to grant (--grant net:HOST), and requests are made by
// [wb/sandbox/netbroker].
//
// A source that fails does not spoil the answer of the others: its failure is
// kept ([Catalog.Failures]) and shown as a row.
package federate
