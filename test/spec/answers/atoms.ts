import { z } from 'zod';
import { type ValueListId, valueLists } from '../values.ts';

// The kinds of values that answers are made of, each in the one spelling that contract 1 allows.

export const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .describe('instant');
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  .describe('uuid');
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('sha256');
export const integer = z.number().int().describe('integer');
export const score = z.number().min(0).max(1).describe('score');
export const text = z.string();
export const json = z.record(text, z.unknown()).describe('map');

const listOfEnum = new Map<z.ZodType, ValueListId>();

function words<Id extends ValueListId>(id: Id) {
  const list = z.enum(valueLists[id].values);
  listOfEnum.set(list, id);
  return list as z.ZodType<(typeof valueLists)[Id]['values'][number]>;
}

/** Which list of the table a field's words come from. */
export const valueListOf = (schema: z.ZodType): ValueListId | undefined => listOfEnum.get(schema);

export const versionState = words('CON-3-VERSION_STATE');
export const runStatus = words('CON-3-RUN_STATUS');
export const terminalStatus = words('CON-3-TERMINAL_STATUS');
export const problemStatus = words('CON-3-PROBLEM_STATUS');
export const raceStatus = words('CON-3-RACE_STATUS');
export const phase = words('CON-3-PHASE');
export const admission = words('CON-3-ADMISSION');
export const admissionReason = words('CON-3-ADMISSION_REASON');
export const verdictStatus = words('CON-3-VERDICT');
export const itemKind = words('CON-3-ITEM_KIND');
export const qualificationType = words('CON-3-QUALIFICATION');
export const pinReason = words('CON-3-PIN_REASON');
export const deliveryScope = words('CON-3-DELIVERY_SCOPE');
export const faultClass = words('CON-3-FAULT_CLASS');
export const executionKind = words('SPEC-EXECUTION_KIND');
export const role = words('CON-2-ROLE');
export const validatorStatus = words('CON-5-VALIDATOR_STATUS');
export const releaseReason = words('CON-5-RELEASE_REASON');
