#include <initializer_list>
template<class T>struct A{T t;A():t(){}~A(){}};
int main ( )
{
  A < A < int > > a ; ( void ) a ;
  int x { } , * p = & x , & r = * p ;
  if ( int n = x ; n > 0 ) { } else if ( r ) ; else { }
  for ( int i : { 1 , 2 , 3 } ) x += i ;
  try { throw 1 ; } catch ( int & e ) { } catch ( ... ) { throw ; }
  do ; while ( 0 ) ; switch ( x ) { default : ; }
  return x not_eq 0 and not r ;
}
