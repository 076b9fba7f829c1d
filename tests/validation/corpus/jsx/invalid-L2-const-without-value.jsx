import React from "react";
const Title;
export default () => <h1><Title /></h1>;
