package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"
)

// How soon a new collection is given its index. Until then lookups in it are only slow.
const lookEvery = 20 * time.Millisecond

// indexIDs gives every collection an index that FerretDB finds documents by. FerretDB 1.24 looks an _id up by the expression
// _ferretdb_sjson->'$._id', which its own unique index, on _ferretdb_sjson->"_id", does not serve: each lookup reads the
// whole collection. Every MongoDB has an index on _id, so without this the peer would be slow where no server is.
func indexIDs(ctx context.Context, directory string) {
	open := map[string]*database{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(lookEvery):
		}
		files, _ := filepath.Glob(filepath.Join(directory, "*.sqlite"))
		found := map[string]bool{}
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				continue
			}
			found[file] = true
			one := open[file]
			if one != nil && !os.SameFile(one.info, info) { // dropped and made anew
				one.close()
				one = nil
			}
			if one == nil {
				if one = openDatabase(file, info); one == nil {
					continue
				}
				open[file] = one
			}
			one.indexNew(ctx)
		}
		for file, one := range open {
			if !found[file] {
				one.close()
				delete(open, file)
			}
		}
	}
}

type database struct {
	db      *sql.DB
	info    os.FileInfo
	version int64
}

func openDatabase(file string, info os.FileInfo) *database {
	db, err := sql.Open("sqlite", "file:"+file+"?mode=rw&_pragma=busy_timeout(10000)&_pragma=synchronous(off)")
	if err != nil {
		return nil
	}
	db.SetMaxOpenConns(1)
	return &database{db: db, info: info}
}

func (d *database) close() { _ = d.db.Close() }

// indexNew looks for collections without the index if any table was made since. What fails is tried again.
func (d *database) indexNew(ctx context.Context) {
	var version int64
	if d.db.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version) != nil || version == d.version {
		return
	}
	rows, err := d.db.QueryContext(ctx, `SELECT name FROM sqlite_schema AS t WHERE type = 'table' AND name NOT LIKE 'sqlite%'
		AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = '_ferretdb_sjson')
		AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = 'peer_' || t.name)`)
	if err != nil {
		return
	}
	var tables []string
	for rows.Next() {
		var table string
		if rows.Scan(&table) == nil {
			tables = append(tables, table)
		}
	}
	done := rows.Err() == nil
	_ = rows.Close()
	for _, table := range tables {
		create := fmt.Sprintf(`CREATE INDEX IF NOT EXISTS "peer_%s" ON "%s" (_ferretdb_sjson->'$._id')`, table, table)
		if _, err := d.db.ExecContext(ctx, create); err != nil {
			done = false
		}
	}
	if done && len(tables) == 0 {
		d.version = version
	}
}
