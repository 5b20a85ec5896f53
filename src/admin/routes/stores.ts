import { z } from "zod";
import type { Route } from "../route.ts";
import { elevationsSchema, leaseListSchema, recordingListSchema, stopOrderSchema, stopsSchema } from "../schemas/stores.ts";

const keySchema = z.object({ key: z.string(), owner: z.string() }).meta({ id: "Key" });

/** Stops, elevations, leases, recordings, and who the bearer is. */
export const STORE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/key",
    id: "readKey",
    summary: "name and owner of the key that the request was made with",
    answer: keySchema,
    run: ({ key }) => ({ key: key.name, owner: key.owner }),
  },
  {
    method: "GET",
    path: "/v1/stops",
    id: "listStops",
    summary: "stops in force",
    answer: stopsSchema,
    errors: [503],
    run: (_call, { ports }) => ports.stops.list(),
  },
  {
    method: "POST",
    path: "/v1/stops",
    id: "placeStop",
    summary: "stop or resume a session, an agent or all: an entry signed with the key of the bearer",
    body: stopOrderSchema,
    answer: stopsSchema,
    errors: [404, 409, 503],
    run({ body, key }, { ports, metrics }) {
      const { action, scope, reason, end_running: endRunning = false } = body as z.infer<typeof stopOrderSchema>;
      ports.stops.place({ action, scope, reason, endRunning, key });
      metrics.decided(action);
      return ports.stops.list();
    },
  },
  {
    method: "GET",
    path: "/v1/elevations",
    id: "listElevations",
    summary: "elevations in force, and whether their chain holds",
    answer: elevationsSchema,
    errors: [503],
    run: (_call, { ports }) => ports.elevations(),
  },
  {
    method: "GET",
    path: "/v1/leases",
    id: "listLeases",
    summary: "leases: metadata, never the secret",
    answer: leaseListSchema,
    errors: [503],
    run: (_call, { ports }) => ({ leases: ports.leases() }),
  },
  {
    method: "GET",
    path: "/v1/recordings",
    id: "listRecordings",
    summary: "recordings of sessions",
    answer: recordingListSchema,
    errors: [503],
    run: async (_call, { ports }) => ({ recordings: await ports.recordings() }),
  },
];
