import { bool, text, uint } from '../../state/kernel/shape/kinds.ts'

/**
 * Members that hold the read metadata in a reply body. Other replies send these values as headers.
 */
export const metadataMembers = {
  Index: uint,
  LastContact: uint,
  KnownLeader: bool,
  ConsistencyLevel: text,
  NotModified: bool,
  Backend: uint,
  ResultsFilteredByACLs: bool,
} as const

interface ReadMetadata {
  readonly Index: number
  readonly LastContact?: number
  readonly KnownLeader: boolean
  readonly ConsistencyLevel?: string
  readonly ResultsFilteredByACLs?: boolean
}

/** Returns the values of `metadataMembers`, in the reference's order. */
export function readMetadata(values: ReadMetadata) {
  return {
    Index: values.Index,
    LastContact: values.LastContact ?? 0,
    KnownLeader: values.KnownLeader,
    ConsistencyLevel: values.ConsistencyLevel ?? '',
    NotModified: false,
    Backend: 0,
    ResultsFilteredByACLs: values.ResultsFilteredByACLs ?? false,
  }
}
