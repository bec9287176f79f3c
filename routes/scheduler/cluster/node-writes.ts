import {
  bool,
  duration,
  goList,
  goMap,
  int,
  intOf,
  nullable,
  text,
  uint,
} from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { rpcAddress, serverDatacenter } from '../../../state/scheduler/agent/server.ts'
import {
  serverAddress,
  serverWriteRequestMembers,
} from '../../../state/scheduler/body-addresses.ts'
import {
  forceEvaluation,
  type NodeWriteResult,
  purgeNode,
  setEligibility,
  updateDrain,
} from '../../../state/scheduler/cluster/node-writes.ts'
import { allNodes } from '../../../state/scheduler/cluster/nodes/nodes.ts'
import { requiresAnyOf } from '../access.ts'
import { operationsOf } from '../operation.ts'
import { checkId } from './lookups.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#node-endpoints' })

const eligibilityShape = struct('NodeUpdateEligibilityRequest', {
  NodeID: text,
  Eligibility: text,
  UpdatedAt: intOf({ bits: 64 }),
  ...serverWriteRequestMembers,
})

const drainShape = struct('NodeUpdateDrainRequest', {
  NodeID: text,
  DrainSpec: nullable(struct('DrainSpec', { Deadline: duration, IgnoreSystemJobs: bool })),
  MarkEligible: bool,
  Meta: goMap(text),
})

const evaluationMembers = { EvalIDs: goList(text), EvalCreateIndex: uint } as const

const writeReplyShape = struct('NodeDrainUpdateResponse', {
  ...evaluationMembers,
  NodeModifyIndex: uint,
  Index: uint,
})

const updateReplyShape = struct('NodeUpdateResponse', {
  ...evaluationMembers,
  HeartbeatTTL: int,
  NodeModifyIndex: uint,
  Features: uint,
  LeaderRPCAddr: text,
  NumNodes: int,
  Servers: goList(
    struct('NodeServerInfo', {
      RPCAdvertiseAddr: text,
      RPCMajorVersion: int,
      RPCMinorVersion: int,
      Datacenter: text,
    }),
  ),
  SchedulingEligibility: text,
  Index: uint,
  LastContact: uint,
  KnownLeader: bool,
  NextToken: text,
})

export const nodeWriteOperations = [
  operation.post('setNodeEligibility', '/node/:id/eligibility', {
    access: requiresAnyOf('node:write'),
    summary: 'Set whether a node accepts new allocations.',
    body: eligibilityShape,
    bodyAddress: serverAddress,
    reply: { 200: writeReplyShape },
    run({ context, params: { id }, body }) {
      const { NodeID, Eligibility } = body()
      const check = (nodeId: string) => checkId('node', nodeId)
      const result = setEligibility(context.world, NodeID || id, Eligibility ?? '', check)
      return context.writeReply({ ...evaluationFields(result), NodeModifyIndex: 0 }, result.index)
    },
  }),
  operation.post('drainNode', '/node/:id/drain', {
    access: requiresAnyOf('node:write'),
    summary: 'Drain a node, change the drain, or cancel it.',
    body: drainShape,
    reply: { 200: writeReplyShape },
    run({ context, params: { id }, body }) {
      const { DrainSpec, MarkEligible, Meta } = body()
      const { accessorId } = context.caller
      const result = updateDrain(context.world, checkId('node', id), {
        spec: DrainSpec
          ? {
              Deadline: DrainSpec.Deadline ?? 0,
              IgnoreSystemJobs: DrainSpec.IgnoreSystemJobs === true,
            }
          : undefined,
        markEligible: MarkEligible === true,
        author: {
          AccessorID: `token:${accessorId || 'acls-disabled'}`,
          ...(Object.keys(Meta ?? {}).length === 0 ? {} : { Meta }),
        },
      })
      return context.writeReply(
        { ...evaluationFields(result), NodeModifyIndex: result.index },
        result.index,
      )
    },
  }),
  operation.post('evaluateNode', '/node/:id/evaluate', {
    access: requiresAnyOf('node:write'),
    summary: 'Evaluate the jobs of a node again.',
    reply: { 200: updateReplyShape },
    run({ context, params: { id } }) {
      const { world } = context
      const result = forceEvaluation(world, checkId('node', id))
      const reply = {
        ...nodeUpdateFields(result),
        NodeModifyIndex: 0,
        NumNodes: allNodes(world).length,
        LeaderRPCAddr: rpcAddress,
        SchedulingEligibility: result.node.SchedulingEligibility,
        Servers: [
          {
            RPCAdvertiseAddr: rpcAddress,
            RPCMajorVersion: 0,
            RPCMinorVersion: 0,
            Datacenter: serverDatacenter,
          },
        ],
      }
      return context.writeReply(reply, result.index)
    },
  }),
  operation.post('purgeNode', '/node/:id/purge', {
    access: requiresAnyOf('node:write'),
    summary: 'Remove a node from the cluster; its allocations are lost.',
    reply: { 200: updateReplyShape },
    run({ context, params: { id } }) {
      const result = purgeNode(context.world, checkId('node', id))
      const reply = {
        ...nodeUpdateFields(result),
        NodeModifyIndex: result.index,
        NumNodes: 0,
        LeaderRPCAddr: '',
        SchedulingEligibility: '',
        Servers: null,
      }
      return context.writeReply(reply, result.index)
    },
  }),
]

function evaluationFields({ index, evaluations }: NodeWriteResult) {
  const [first] = evaluations
  return {
    EvalIDs: first === undefined ? null : evaluations.map(({ ID }) => ID),
    EvalCreateIndex: first === undefined ? 0 : first.CreateIndex,
    Index: index,
  }
}

/**
 * Returns the members of the reply to a node's update. Members that only matter when a node
 * registers are always zero.
 */
function nodeUpdateFields(result: NodeWriteResult) {
  return {
    ...evaluationFields(result),
    HeartbeatTTL: 0,
    Features: 0,
    LastContact: 0,
    KnownLeader: false,
    NextToken: '',
  }
}
