/** A module of the driver that its own types leave out: `driver-drain.ts` mends a class of it. */
declare module "mongodb/lib/cmap/connection.js" {
  export const Connection: unknown;
}
