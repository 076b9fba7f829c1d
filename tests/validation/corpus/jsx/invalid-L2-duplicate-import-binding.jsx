import { useState } from "react";
const useState = 1;
export default () => <p>{useState}</p>;
