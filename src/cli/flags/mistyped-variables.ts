import { closestName } from '../../../routes/http/declare/similarity.ts'
import { flagList, variableOf } from './flags.ts'

/**
 * Names variables that are nobody's, but nearly a flag's twin. Others are left alone: a cluster sets
 * some of its own for a service of this name, and clients find a server by more of them.
 */
export function mistypedVariables(environment: object): readonly string[] {
  const known = flagList.map(variableOf)
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith('UNDERSTUDY_') || known.includes(name) || isSetForClients(name)) return []
    const suggestion = closestName(name, known)
    return suggestion === undefined ? [] : [`${name} is not a setting; did you mean ${suggestion}?`]
  })
}

/** Tells whether `env` and `exec` set a variable for clients, or a cluster does. */
function isSetForClients(name: string): boolean {
  return /_(?:URL|TOKEN|SERVICE_.+|PORT_\d.*|CA_FILE)$/.test(name)
}
