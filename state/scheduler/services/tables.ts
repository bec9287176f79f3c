import { exactInt, list, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'
import { jobItemKey } from '../keys.ts'
import { serviceId } from '../vendor-names.ts'

/** A service that a running task offers (behaviour/scheduler#services). */
export const registrationShape = struct('ServiceRegistration', {
  ID: serviceId,
  ServiceName: text,
  Namespace: text,
  NodeID: text,
  Datacenter: text,
  JobID: text,
  AllocID: text,
  Tags: list(text),
  Address: text,
  Port: exactInt,
  CreateIndex: uint,
  ModifyIndex: uint,
})
export type Registration = StoredOf<typeof registrationShape>

/** Registrations by ID. */
export const registrations = schedulerTable('services', registrationShape, {
  secrets: 'none',
  indexes: {
    /** Registrations by namespace, name and ID. */
    byName: ({ Namespace, ServiceName, ID }) => jobItemKey(Namespace, ServiceName, ID),
    /** Registrations by `jobItemKey`. */
    byJob: ({ Namespace, JobID, ID }) => jobItemKey(Namespace, JobID, ID),
    /** Registrations by `<allocation> <ID>`. */
    byAllocation: ({ AllocID, ID }) => `${AllocID} ${ID}`,
  },
})

/** All tables of services. */
export const serviceTables = [registrations] as const
