import { useReducer, type Dispatch } from "react";

type Action = { type: "add"; text: string } | { type: "remove"; index: number };
type State = readonly string[];

function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "add":
      return [...state, action.text];
    case "remove":
      return state.filter((_, i) => i !== action.index);
  }
}

export function Todos() {
  const [state, dispatch]: [State, Dispatch<Action>] = useReducer(reduce, []);
  return <button onClick={() => dispatch({ type: "add", text: "x" })}>{state.length}</button>;
}
