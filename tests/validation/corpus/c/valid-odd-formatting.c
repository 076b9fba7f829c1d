int
add ( int a , int b )
  ;
static  int *
    f (  int  x ,
         char * const * names [ ] ,
         ... )
{ ; { { } } ; return x
  ? & * & * ( int * ) 0 : ( void * ) names ; }
int g ( void ) { if ( 1 ) if ( 0 ) ; else return 1 ; for ( ; ; ) break ; while ( 0 ) { } return 0 ; }
