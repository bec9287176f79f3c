import { goList, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { ports, serverAddress, serverDatacenter, serverName, serverOf } from './server.ts'

/** A server as other servers see it (behaviour/scheduler#agent). */
export const memberShape = struct('AgentMember', {
  Name: text,
  Addr: text,
  Port: uint,
  Tags: struct('AgentMemberTags', {
    id: text,
    role: word({ sched: 'nomad' }),
    region: text,
    dc: text,
    build: text,
    vsn: text,
    raft_vsn: text,
    expect: text,
    bootstrap: text,
    port: text,
    rpc_addr: text,
    revision: text,
  }),
  Status: text,
  ProtocolMin: uint,
  ProtocolMax: uint,
  ProtocolCur: uint,
  DelegateMin: uint,
  DelegateMax: uint,
  DelegateCur: uint,
})

/** All servers, and the one that responds. */
export const membersShape = struct('ServerMembers', {
  ServerName: text,
  ServerRegion: text,
  ServerDC: text,
  Members: goList(memberShape),
})

/** Returns the only server of the cluster. */
export function serverMember(world: World): StoredOf<typeof memberShape> {
  const { region, version } = optionsOf(world)
  return {
    Name: `${serverName}.${region}`,
    Addr: serverAddress,
    Port: ports.Serf,
    Tags: {
      id: serverOf(world).id,
      role: 'sched',
      region,
      dc: serverDatacenter,
      build: version,
      vsn: '1',
      raft_vsn: '3',
      expect: '1',
      bootstrap: '1',
      port: String(ports.RPC),
      rpc_addr: serverAddress,
      revision: '',
    },
    Status: 'alive',
    ProtocolMin: 1,
    ProtocolMax: 5,
    ProtocolCur: 2,
    DelegateMin: 2,
    DelegateMax: 5,
    DelegateCur: 4,
  }
}

/** Returns the list of servers, which has one entry. */
export function serverMembers(world: World): StoredOf<typeof membersShape> {
  return {
    ServerName: serverName,
    ServerRegion: optionsOf(world).region,
    ServerDC: serverDatacenter,
    Members: [serverMember(world)],
  }
}
