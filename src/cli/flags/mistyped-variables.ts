import { closestName } from '../../../routes/http/declare/similarity.ts'
import { flagList, variableOf } from './flags.ts'

/**
 * Returns a warning for each variable whose name nearly matches the variable of a flag. Other
 * unknown variables are ignored, because clusters and clients use names with the same prefix.
 */
export function mistypedVariables(environment: object): readonly string[] {
  const known = flagList.map(variableOf)
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith('UNDERSTUDY_') || known.includes(name) || isSetForClients(name)) return []
    const suggestion = closestName(name, known)
    return suggestion === undefined ? [] : [`${name} is not a setting; did you mean ${suggestion}?`]
  })
}

/** Returns true if Kubernetes, `env` or `exec` sets this variable for clients. */
function isSetForClients(name: string): boolean {
  return /_(?:URL|TOKEN|SERVICE_.+|PORT_\d.*|CA_FILE)$/.test(name)
}
