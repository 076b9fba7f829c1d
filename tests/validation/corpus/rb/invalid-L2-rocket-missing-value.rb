config = {
  "a" => ,
  "b" => 2,
}
