import { renderMessage } from '../../../state/kernel/message.ts'
import { protectedPaths } from '../../../state/secrets/mounts/types.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'

/** A name that belongs to the service itself. */
export function explainReservedName({
  path,
  refusal,
  rule,
}: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const message = renderMessage(refusal.reason)
  const name = path
    .split('/')
    .filter((part) => part !== '')
    .at(-1)
  if (rule === 'mount-protected' || rule === 'unmount-protected') {
    return {
      because: `${message}: ${protectedPaths.join(', ')} are reserved for the service`,
      change: 'Take another path',
      spec: 'behaviour/secrets#mounts',
    }
  }
  if (rule === 'namespace-name-invalid') {
    return {
      because: `"${name}" cannot be the name of a namespace: it is reserved, or has spaces in it`,
      change: 'Take another name',
      spec: 'behaviour/secrets#namespaces',
    }
  }
  return {
    because: `${message}: the policy "${name}" is reserved for the service`,
    change: 'Take another name',
    spec: 'behaviour/secrets#policies',
  }
}
