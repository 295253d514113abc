//! The player service: strategies that game managers can reach over HTTP.
