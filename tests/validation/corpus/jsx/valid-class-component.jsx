import React from "react";

export class Clock extends React.Component {
  static defaultProps = { zone: "UTC" };
  state = { now: new Date() };
  #timer = null;

  componentDidMount() {
    this.#timer = setInterval(() => this.setState({ now: new Date() }), 1000);
  }

  render() {
    const { now } = this.state;
    return <time dateTime={now.toISOString()}>{now.toLocaleTimeString()}</time>;
  }
}
