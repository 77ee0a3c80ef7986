/**
 * It is the machine's doing that this file has no verdict: more files wait than may, or its time was
 * over while others' work took the processors. To be repeated.
 */
export class AnalyserOverloaded extends Error {
  override name = 'AnalyserOverloaded';
}
