import React from "react";
fucntion App() {
  return <p>Hi</p>;
}
