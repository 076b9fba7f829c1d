config = {
  host: "localhost",
  port: 5432
  user: "app",
}
