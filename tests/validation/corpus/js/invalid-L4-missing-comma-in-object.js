const settings = {
  host: "localhost",
  port: 5432
  user: "app",
};
export default settings;
