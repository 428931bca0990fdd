package babel

import (
	"fmt"

	"wb/tangle/elisp"
)

// R and Julia read tables from text that the program carries with it.

// reassembled puts column and row names back on a table.
func reassembled(v Var) elisp.Value {
	table := v.Value
	if !elisp.IsList(table) {
		return table
	}
	rows, _ := elisp.Items(table)
	if v.RowNames != nil && len(rows) == len(v.RowNames) {
		named := make([]elisp.Value, len(rows))
		next := 0
		for i, row := range rows {
			named[i] = row
			if elisp.IsList(row) {
				var name elisp.Value = elisp.String("")
				if next < len(v.RowNames) && !elisp.IsNil(v.RowNames[next]) {
					name = v.RowNames[next]
				}
				next++
				named[i] = &elisp.Cons{Car: name, Cdr: row}
			}
		}
		table = elisp.List(named...)
	}
	first, _ := elisp.Items(elisp.Car(table))
	names, proper := elisp.Items(v.ColNames)
	if len(names) > 0 && proper && elisp.IsList(elisp.Car(table)) && len(first) == len(names) {
		table = &elisp.Cons{Car: v.ColNames, Cdr: &elisp.Cons{Car: elisp.HLine, Cdr: table}}
	}
	return table
}

const (
	rTable = `%s <- local({
     con <- textConnection(
       %s
     )
     res <- utils::read.table(
       con,
       header    = %s,
       row.names = %s,
       sep       = "\t",
       as.is     = TRUE%s
     )
     close(con)
     res
   })`
	rRagged = `,
       fill      = TRUE,
       col.names = paste("V", seq_len(%d), sep ="")`
)

// assignR writes scalars as literals, tables through read.table.
func assignR(p *Params) ([]string, error) {
	return each(func(_ *Params, v Var) (string, error) {
		switch x := v.Value.(type) {
		case elisp.Int:
			return fmt.Sprintf("%s <- %dL", v.Name, int64(x)), nil
		case elisp.Float, elisp.String:
			return fmt.Sprintf("%s <- %s", v.Name, elisp.Print(x)), nil
		}
		if !elisp.IsList(v.Value) {
			return fmt.Sprintf("%s <- %s", v.Name, elisp.Print(elisp.String(elisp.Print(v.Value)))), nil
		}
		table := reassembled(v)
		rows, err := elements(v, table)
		if err != nil {
			return "", err
		}
		widest, narrowest := rowLengths(rows)
		if len(rows) > 0 && !elisp.IsList(rows[0]) {
			for i, item := range rows {
				rows[i] = elisp.List(item)
			}
			table = elisp.List(rows...)
		}
		header, names, ragged := "FALSE", "NULL", ""
		if len(rows) > 1 && rows[1] == elisp.HLine || p.is(":colnames", "yes") {
			header = "TRUE"
		}
		if p.is(":rownames", "yes") {
			names = "1"
		}
		if widest != narrowest {
			ragged = fmt.Sprintf(rRagged, widest)
		}
		text := separated(table, tableFormat{separator: "\t", quote: csvQuoted})
		return fmt.Sprintf(rTable, v.Name, elisp.Print(elisp.String(text)), header, names, ragged), nil
	})(p)
}

// rowLengths is the number of cells of the longest and the shortest row.
func rowLengths(rows []elisp.Value) (widest, narrowest int) {
	first := true
	for _, row := range rows {
		if !elisp.IsList(row) {
			continue
		}
		cells, _ := elisp.Items(row)
		if first || len(cells) < narrowest {
			narrowest = len(cells)
		}
		widest = max(widest, len(cells))
		first = false
	}
	return widest, narrowest
}

// assignJulia writes tables as CSV text.
func assignJulia(p *Params) ([]string, error) {
	return each(func(_ *Params, v Var) (string, error) {
		if !elisp.IsList(v.Value) {
			if s, ok := v.Value.(elisp.String); ok {
				return v.Name + " = " + csvQuoted(string(s)), nil
			}
			return v.Name + " = " + elisp.Print(v.Value), nil
		}
		table := reassembled(v)
		if _, err := elements(v, table); err != nil {
			return "", err
		}
		if !elisp.IsList(elisp.Car(table)) {
			table = elisp.List(table)
		}
		text := separated(table, tableFormat{separator: ",", quote: csvQuoted})
		return fmt.Sprintf("%s = begin\n    using CSV\n    CSV.read(\"%s\")\nend", v.Name, text), nil
	})(p)
}
