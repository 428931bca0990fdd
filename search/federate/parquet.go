package federate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"wb/internal/value"
)

// parquetFile is a Parquet file. Columns of records are named with dots;
// repeated ones are lists.
type parquetFile struct{ path string }

// Rows skips the row groups whose statistics say that no row can pass.
func (s parquetFile) Rows(ctx context.Context, f Filter, yield func(Row) error) (err error) {
	in, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: damaged: %v", s.path, p)
		}
	}()
	file, err := parquet.OpenFile(in, info.Size(), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	columns := leaves(file.Schema())
	for _, group := range file.RowGroups() {
		if skips(group, columns, f) {
			continue
		}
		if err := readGroup(ctx, group, columns, yield); err != nil {
			return fmt.Errorf("%s: %w", s.path, err)
		}
	}
	return nil
}

// leaf is a column of values.
type leaf struct {
	name     string
	repeated bool
	kind     parquet.Kind
	logical  any // the logical type, nil without one
}

func leaves(schema *parquet.Schema) []leaf {
	paths := schema.Columns()
	names := make([]string, len(paths))
	columns := make([]leaf, len(paths))
	for i, path := range paths {
		names[i] = strings.Join(path, ".")
		column, ok := schema.Lookup(path...)
		if !ok {
			continue
		}
		columns[i].repeated = column.MaxRepetitionLevel > 0
		if column.Node.Leaf() {
			columns[i].kind = column.Node.Type().Kind()
			if logical := column.Node.Type().LogicalType(); logical != nil {
				columns[i].logical = logical.Value
			}
		}
	}
	for i, name := range distinct(names) {
		columns[i].name = name
	}
	return columns
}

// skips reports whether the statistics of a row group exclude all its rows.
func skips(group parquet.RowGroup, columns []leaf, f Filter) bool {
	chunks := group.ColumnChunks()
	for _, c := range f {
		for i, column := range columns {
			if !strings.EqualFold(column.name, c.Column) || column.repeated || column.logical != nil && !isInteger(column.logical) {
				continue
			}
			chunk, ok := chunks[i].(*parquet.FileColumnChunk)
			if !ok {
				continue
			}
			low, high, ok := chunk.Bounds()
			if !ok {
				continue
			}
			from, okLow := plainNumber(low)
			to, okHigh := plainNumber(high)
			if okLow && okHigh && from <= to && c.excludes(from, to) {
				return true
			}
		}
	}
	return false
}

func isInteger(logical any) bool {
	t, ok := logical.(*format.IntType)
	return ok && t.IsSigned
}

func plainNumber(v parquet.Value) (float64, bool) {
	switch v.Kind() {
	case parquet.Int32:
		return float64(v.Int32()), true
	case parquet.Int64:
		return float64(v.Int64()), v.Int64() > -1<<53 && v.Int64() < 1<<53
	case parquet.Float:
		return float64(v.Float()), !math.IsNaN(float64(v.Float()))
	case parquet.Double:
		return v.Double(), !math.IsNaN(v.Double())
	}
	return 0, false
}

func readGroup(ctx context.Context, group parquet.RowGroup, columns []leaf, yield func(Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 256)
	for {
		n, err := rows.ReadRows(buffer)
		for _, cells := range buffer[:n] {
			if err := errors.Join(ctx.Err(), yield(columnsOf(cells, columns))); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// columnsOf gathers the values of a row by column.
func columnsOf(cells parquet.Row, columns []leaf) Row {
	row := make(Row, len(columns))
	lists := make([][]value.Value, len(columns))
	for _, cell := range cells {
		i := cell.Column()
		if i < 0 || i >= len(columns) {
			continue
		}
		v := columns[i].value(cell)
		if !columns[i].repeated {
			row[i].Value = v
		} else if !v.IsNull() {
			lists[i] = append(lists[i], v)
		}
	}
	for i, column := range columns {
		row[i].Name = column.name
		if column.repeated {
			row[i].Value = value.OfList(lists[i]...)
		}
	}
	return row
}

// value reads a cell as its logical type says.
func (c leaf) value(v parquet.Value) value.Value {
	if v.IsNull() {
		return value.Nil()
	}
	switch t := c.logical.(type) {
	case *format.DateType:
		return value.OfString(time.Unix(int64(v.Int32())*86400, 0).UTC().Format("2006-01-02"))
	case *format.TimestampType:
		return value.OfString(timestamp(v.Int64(), t.Unit).Format("2006-01-02 15:04:05.999999999"))
	case *format.DecimalType:
		return value.OfString(decimal(v, int(t.Scale)))
	case *format.UUIDType:
		if b := v.ByteArray(); len(b) == 16 {
			return value.OfString(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
		}
	case *format.IntType:
		if !t.IsSigned && v.Kind() == parquet.Int32 {
			return value.OfInt(int64(v.Uint32()))
		}
		if !t.IsSigned && v.Kind() == parquet.Int64 && v.Int64() < 0 {
			return value.OfString(fmt.Sprint(v.Uint64()))
		}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return value.OfBool(v.Boolean())
	case parquet.Int32:
		return value.OfInt(int64(v.Int32()))
	case parquet.Int64:
		return value.OfInt(v.Int64())
	case parquet.Int96:
		return value.OfString(v.String())
	case parquet.Float:
		return value.OfFloat(float64(v.Float()))
	case parquet.Double:
		return value.OfFloat(v.Double())
	}
	return sqlValue(append([]byte(nil), v.ByteArray()...))
}

func timestamp(n int64, unit format.TimeUnit) time.Time {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// decimal writes an unscaled number with its point.
func decimal(v parquet.Value, scale int) string {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default:
		b := v.ByteArray()
		n.SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 { // two's complement
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	if scale <= 0 || scale > 100 {
		return n.String()
	}
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	text := digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	if n.Sign() < 0 {
		text = "-" + text
	}
	return text
}
