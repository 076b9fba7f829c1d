class
  Odd
    <T>
{
  public static
  void main ( String [ ] args )
  { int x=1 ; ; ;
    if(x>0)if(x>1)x--;else x++;
    for(;;)break;
    while ( x --> 0 ) ;
    int a[] = { } , b = - - x + + 1 ;
    long l = ( long ) - 1L ; Object o = ( Runnable & java.io.Serializable ) ( ) -> { } ;
  }
}
