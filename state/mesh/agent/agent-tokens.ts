import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { meshTable } from '../indexes.ts'

/** The agent's own tokens, by current name. A token that is not set has no row. */
export const agentTokens = meshTable('agent-tokens', struct({ token: text }), {
  secrets: { members: ['token'] },
  keepsIndex: true,
})

/**
 * Current names of the agent's tokens, by accepted name. The accepted names include those of
 * earlier versions.
 */
const names: ReadonlyMap<string, string> = new Map([
  ...['default', 'agent', 'agent_recovery', 'replication'].map((name) => [name, name] as const),
  ...['config_file_service_registration', 'dns'].map((name) => [name, name] as const),
  ['acl_token', 'default'],
  ['acl_agent_token', 'agent'],
  ['agent_master', 'agent_recovery'],
  ['acl_agent_master_token', 'agent_recovery'],
  ['acl_replication_token', 'replication'],
  ['dns_token', 'dns'],
])

/** Returns the current name of one of the agent's tokens; undefined for an unknown name. */
export function agentTokenName(kind: string): string | undefined {
  return names.get(kind)
}

/** Stores one of the agent's tokens under its current name. An empty token removes the entry. */
export function setAgentToken(world: World, name: string, token: string): void {
  world.write(() => {
    if (token === '') world.table(agentTokens).delete(name)
    else world.table(agentTokens).put(name, { token })
  })
}

/**
 * Returns the token for requests that send none; undefined if the agent has no such token. The read
 * is not observed, so that a blocking read does not end when the token changes.
 */
export function defaultAgentToken(world: World): string | undefined {
  return world.table(agentTokens).peek('default')?.token
}
