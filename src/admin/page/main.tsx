import { render } from "preact";

const root = document.querySelector("#app");
if (root !== null) render(<h1>Regate</h1>, root);
