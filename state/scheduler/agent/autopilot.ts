import { bool, goList, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lastIndex } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { raftTerm, rpcAddress, serverName, serverOf } from './server.ts'

/** The health of the cluster as the autopilot reports it (behaviour/scheduler#agent). */
export const healthShape = struct('OperatorHealthReply', {
  Healthy: bool,
  FailureTolerance: int,
  Servers: goList(
    struct('ServerHealth', {
      ID: text,
      Name: text,
      Address: text,
      SerfStatus: text,
      Version: text,
      Leader: bool,
      /** Go duration. */
      LastContact: text,
      LastTerm: int,
      LastIndex: int,
      Healthy: bool,
      Voter: bool,
      /** Time in RFC 3339 format. */
      StableSince: text,
    }),
  ),
  Leader: text,
  Voters: goList(text),
})

/** Settings of the autopilot, which removes failed servers. */
export const autopilotShape = struct('AutopilotConfiguration', {
  CleanupDeadServers: bool,
  /** Go duration. */
  LastContactThreshold: text,
  MaxTrailingLogs: int,
  MinQuorum: int,
  /** Go duration. */
  ServerStabilizationTime: text,
  EnableRedundancyZones: bool,
  DisableUpgradeMigration: bool,
  EnableCustomUpgrades: bool,
  CreateIndex: int,
  ModifyIndex: int,
})

export const raftShape = struct('RaftConfiguration', {
  Index: int,
  Servers: goList(
    struct('RaftServer', {
      ID: text,
      Node: text,
      Address: text,
      Leader: bool,
      Voter: bool,
      RaftProtocol: text,
    }),
  ),
})

/** The autopilot's default settings in the reference. No request changes them. */
export const autopilotConfiguration: StoredOf<typeof autopilotShape> = {
  CleanupDeadServers: true,
  LastContactThreshold: '200ms',
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: '10s',
  EnableRedundancyZones: false,
  DisableUpgradeMigration: false,
  EnableCustomUpgrades: false,
  CreateIndex: 1,
  ModifyIndex: 1,
}

/** Returns the server's name with the region appended, as members of the cluster report it. */
function memberName(world: World): string {
  return `${serverName}.${optionsOf(world).region}`
}

/** Returns the health of the cluster, whose only server is always healthy. */
export function clusterHealth(world: World): StoredOf<typeof healthShape> {
  const { version } = optionsOf(world)
  const { id, since } = serverOf(world)
  const server = {
    ID: id,
    Name: memberName(world),
    Address: rpcAddress,
    SerfStatus: 'alive',
    Version: version,
    Leader: true,
    LastContact: '0s',
    LastTerm: raftTerm,
    LastIndex: lastIndex(world),
    Healthy: true,
    Voter: true,
    StableSince: formatTimestamp(Math.floor(since / 1000) * 1000),
  }
  return { Healthy: true, FailureTolerance: 0, Servers: [server], Leader: id, Voters: [id] }
}

export function raftConfiguration(world: World): StoredOf<typeof raftShape> {
  const server = {
    ID: serverOf(world).id,
    Node: memberName(world),
    Address: rpcAddress,
    Leader: true,
    Voter: true,
    RaftProtocol: '3',
  }
  return { Index: 0, Servers: [server] }
}
