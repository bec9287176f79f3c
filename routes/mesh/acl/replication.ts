import { bool, text, time, uint } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { readWithoutIndex } from '../operation.ts'
import { operation } from './access.ts'

const zeroTime = '0001-01-01T00:00:00Z'

/** Replication status. Replication is disabled, because there is only one datacenter. */
const replication = {
  Enabled: false,
  Running: false,
  SourceDatacenter: '',
  ReplicationType: '',
  ReplicatedIndex: 0,
  ReplicatedRoleIndex: 0,
  ReplicatedTokenIndex: 0,
  LastSuccess: zeroTime,
  LastError: zeroTime,
  LastErrorMessage: '',
} as const

const replicationShape = struct({
  Enabled: bool,
  Running: bool,
  SourceDatacenter: text,
  ReplicationType: text,
  ReplicatedIndex: uint,
  ReplicatedRoleIndex: uint,
  ReplicatedTokenIndex: uint,
  LastSuccess: time,
  LastError: time,
  LastErrorMessage: text,
})

export const replicationOperations = [
  operation.get('readAclReplication', '/acl/replication', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Report the replication of ACLs from another datacenter: it is disabled.',
    reply: { 200: storedSchema(replicationShape) },
    run: ({ context }) => readWithoutIndex(context, () => replication),
  }),
]
