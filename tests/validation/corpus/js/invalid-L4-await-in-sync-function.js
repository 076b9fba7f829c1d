import { fetchAll } from "./api.js";

function load(url) {
  const response = await fetch(url);
  return response.json();
}
export { load, fetchAll };
