import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { isBlank, type TextInput } from '../names.ts'
import type { Violations } from '../violations.ts'
import type { TestConfig } from './modules.ts'

/** Test configuration in a request. Null is handled like a blank string. */
export interface TestConfigInput extends TextInput<'agent_execution_mode' | 'agent_pool_id'> {
  readonly tests_enabled?: boolean
}

/**
 * Returns the test configuration after a change, and adds broken rules to `violations`. The
 * execution mode `agent` requires an agent pool, and the mode `remote` forbids an agent pool.
 * Returns `before` if `input` is missing or if `violations` is not empty. A rejected request
 * therefore generates no id and leaves the world unchanged.
 */
export function testConfigAfter(
  world: World,
  before: TestConfig | null,
  input: TestConfigInput | undefined,
  violations: Violations,
): TestConfig | null {
  if (input === undefined) return before
  const mode = input.agent_execution_mode ?? before?.agent_execution_mode ?? 'remote'
  const usesAgent = mode === 'agent'
  if (!usesAgent && mode !== 'remote') {
    violations.add('test-config/agent-execution-mode', 'not-listed')
    return before
  }
  // A change of the mode from `agent` to `remote` removes the stored pool.
  const currentPool = usesAgent ? (before?.agent_pool_id ?? null) : null
  const pool = input.agent_pool_id === undefined ? currentPool : input.agent_pool_id
  if (usesAgent && isBlank(pool)) violations.add('test-config/agent-pool-id', 'blank')
  if (!usesAgent && !isBlank(pool)) violations.add('test-config/agent-pool-id', 'not-blank')
  if (violations.hasAny) return before
  return {
    id: before?.id ?? newId(world, 'tc'),
    tests_enabled: input.tests_enabled ?? before?.tests_enabled ?? false,
    agent_execution_mode: usesAgent ? 'agent' : 'remote',
    agent_pool_id: isBlank(pool) ? null : pool,
  }
}
