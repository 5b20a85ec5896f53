import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Authority } from "./authority.tsx";
import { Decisions } from "./decisions.tsx";
import { Mark } from "./mark.tsx";
import { Recordings } from "./recordings.tsx";
import { Requests } from "./requests.tsx";
import { Sessions } from "./sessions.tsx";
import { SignIn } from "./sign-in.tsx";
import { isLive, me, pendingTotal, place, problem, signOut, spoken, stops } from "./store.ts";
import type { View } from "./store.ts";

const TITLES: Readonly<Record<View, string>> = {
  requests: "Requests",
  decisions: "Decisions",
  sessions: "Sessions",
  authority: "Stops and grants",
  recordings: "Recordings",
};

const VIEWS: Readonly<Record<View, () => JSX.Element>> = {
  requests: Requests,
  decisions: Decisions,
  sessions: Sessions,
  authority: Authority,
  recordings: Recordings,
};

function Header(): JSX.Element {
  const { view } = place.value;
  return (
    <header class="top">
      <div class="brand">
        <Mark />
        <span>Regate</span>
      </div>
      <nav aria-label="Views">
        {Object.entries(TITLES).map(([name, text]) => (
          <a key={name} href={`#/${name}`} aria-current={view === name ? "page" : undefined}>
            {text}
            {name === "requests" && pendingTotal.value > 0 && <span class="count">{pendingTotal.value}</span>}
          </a>
        ))}
      </nav>
      <div class="who">
        <span class={isLive.value ? "live" : "live off"} role="status">
          {isLive.value ? "Live" : "Reconnecting"}
        </span>
        <span class="key" title={`key of ${me.value?.owner}`}>
          {me.value?.owner}
        </span>
        <button type="button" class="quiet" onClick={() => signOut()}>
          Sign out
        </button>
      </div>
    </header>
  );
}

function Body(): JSX.Element {
  const { view } = place.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [view]);
  const Shown = VIEWS[view];
  return (
    <main id="main">
      {problem.value !== "" && (
        <p class="banner bad" role="alert">
          {problem.value}
        </p>
      )}
      {stops.value.broken !== null && (
        <p class="banner bad" role="alert">
          Everything is stopped: {stops.value.broken}
        </p>
      )}
      {stops.value.stops.some(({ scope }) => "all" in scope) && (
        <p class="banner warn">
          Everything is stopped. <a href="#/authority">See why, and resume</a>
        </p>
      )}
      <h1 ref={heading} tabIndex={-1}>
        {TITLES[view]}
      </h1>
      <Shown />
    </main>
  );
}

/** The whole page. */
export function App(): JSX.Element {
  return (
    <>
      {me.value === undefined ? (
        <SignIn />
      ) : (
        <>
          <a
            class="skip"
            href="#main"
            onClick={(event) => {
              event.preventDefault();
              document.querySelector<HTMLElement>("#main h1")?.focus();
            }}
          >
            Skip to the content
          </a>
          <Header />
          <Body />
        </>
      )}
      <div class="spoken" role="status" aria-live="polite">
        <span key={spoken.value.count}>{spoken.value.text}</span>
      </div>
    </>
  );
}
