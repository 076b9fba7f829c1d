package text

const (
	query = `SELECT "name" FROM t WHERE x = '{' -- it's fine (`
	tab   = '\t'
	quote = '\''
	wide  = '世'
	big   = 1_000_000
	hex   = 0xBad_Face
	bin   = 0b1010
	octal = 0o755
	imag  = 3.5i
	flt   = 0x1p-2
)

var pattern = "\"(.*)\"\\{" + `
  multi } line
`
