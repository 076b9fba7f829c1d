val million = 1_000_000L
val hex = 0xFFu
val bits = (0b1010 shl 2) or 0x0F and 3.inv()
val chars = listOf('a', '\'', '\n', '\u0041', '{', '"')
val floats = listOf(1.5f, .5, 1e10, 2.0e-3)
val range = 'a'..'z'
val until = 0..<10
val same = chars === chars && chars !== floats || !(1 >= 2) && 1 as? String == null
