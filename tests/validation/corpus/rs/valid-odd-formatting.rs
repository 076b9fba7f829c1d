pub
fn
  odd < T : Into < String > > ( x : T , )
  -> String
{ let y = x . into ( ) ; ; ;
  if y . len ( ) > 1 && ! y . is_empty ( ) { y } else
  { String :: new ( ) } }
struct Unit; struct Tuple ( pub i32 , ) ; struct Empty { }
const _ : ( ) = ( ) ;
