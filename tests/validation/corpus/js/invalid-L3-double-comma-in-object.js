const options = {
  host: "localhost",
  port: 8080,,
  retries: 3,
};
