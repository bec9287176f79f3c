/**
 * Names of the APIs, in the order of the ready line; services.ts defines each API. The names have a
 * file of their own, because commands that start no server need only the names.
 */
export const apiNames = ['secrets', 'platform', 'mesh', 'scheduler'] as const

/** Name of an API in the configuration and the control plane. */
export type ApiName = (typeof apiNames)[number]
