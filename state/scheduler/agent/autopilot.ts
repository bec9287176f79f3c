import { bool, goList, int, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { lastIndex } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { rpcAddress, serverName, serverOf, term } from './server.ts'

/**
 * The health of the only server, in the form in which its peers would report it
 * (behaviour/scheduler#agent).
 */
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
      /** Duration in Go's format. */
      LastContact: text,
      LastTerm: int,
      LastIndex: int,
      Healthy: bool,
      Voter: bool,
      /** Instant in RFC 3339 format. */
      StableSince: text,
    }),
  ),
  Leader: text,
  Voters: goList(text),
})

/** Settings for the removal of failed servers. */
export const autopilotShape = struct('AutopilotConfiguration', {
  CleanupDeadServers: bool,
  /** Duration in Go's format. */
  LastContactThreshold: text,
  MaxTrailingLogs: int,
  MinQuorum: int,
  /** Duration in Go's format. */
  ServerStabilizationTime: text,
  EnableRedundancyZones: bool,
  DisableUpgradeMigration: bool,
  EnableCustomUpgrades: bool,
  CreateIndex: int,
  ModifyIndex: int,
})

/** The servers that vote. */
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

/** The reference's default settings. No request changes them. */
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

/** Returns the name of the server followed by its region. */
function memberName(world: World): string {
  return `${serverName}.${optionsOf(world).region}`
}

/** Returns the health of the cluster, which equals that of its only server. */
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
    LastTerm: term,
    LastIndex: lastIndex(world),
    Healthy: true,
    Voter: true,
    StableSince: formatTimestamp(Math.floor(since / 1000) * 1000),
  }
  return { Healthy: true, FailureTolerance: 0, Servers: [server], Leader: id, Voters: [id] }
}

/** Returns the raft configuration, which contains only one server. */
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
