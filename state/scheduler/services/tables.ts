import { exactInt, list, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { schedulerTable } from '../indexes.ts'
import { jobItemKey } from '../keys.ts'
import { serviceId } from '../vendor-names.ts'

/** An instance of a service, registered while its task runs (behaviour/scheduler#services). */
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

export const serviceTables = [registrations] as const
