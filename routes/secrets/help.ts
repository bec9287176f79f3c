import type { Mount } from '../../state/secrets/mounts.ts'
import { unsupportedPath } from '../../state/secrets/refusals.ts'
import type { Engine } from './operation.ts'
import { bare, type Outcome } from './outcome.ts'

/**
 * Help on a path (1-secrets.md, Conventions 6): the summaries of what can be done below its mount.
 * The OpenAPI document is still empty of paths.
 */
export function helpOutcome(
  path: string,
  mount: Mount | undefined,
  engine: Engine | undefined,
): Outcome {
  if (mount === undefined || engine === undefined) throw unsupportedPath()
  const lines = engine.paths.flatMap(({ pattern, operations }) =>
    Object.entries(operations).map(
      ([verb, { summary }]) => `- \`${verb} ${mount.path}${pattern}\`: ${summary}`,
    ),
  )
  return bare({
    help: `## ${path}\n\n${lines.join('\n')}\n`,
    see_also: null,
    openapi: {
      openapi: '3.0.2',
      info: {
        title: 'Secrets management service',
        description: 'HTTP API',
        version: '1.14.0',
        license: { name: 'Apache-2.0' },
      },
      paths: {},
      components: { schemas: {} },
    },
  })
}
