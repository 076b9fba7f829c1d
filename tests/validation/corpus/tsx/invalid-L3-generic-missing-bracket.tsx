import { useState } from "react";
export function Names() {
  const [names] = useState<string[](["a"]);
  return <p>{names}</p>;
}
