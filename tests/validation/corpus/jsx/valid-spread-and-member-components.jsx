import * as UI from "./ui";

const Panel = ({ children, ...rest }) => (
  <UI.Card {...rest} data-id="x-1" aria-hidden>
    <UI.Card.Header level={2} />
    <svg:rect xlink:href="#a" />
    {children}
  </UI.Card>
);
export { Panel };
