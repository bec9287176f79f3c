/**
 * The names of the APIs, in the order of the ready line; services.ts says what each of them is. Apart
 * from it, because commands that start no server need the names alone.
 */
export const apiNames = ['secrets', 'platform', 'mesh', 'scheduler'] as const

/** An API by the name that configuration and control plane use. */
export type ApiName = (typeof apiNames)[number]
