mod answers;
mod minting;
mod status;
mod zone;
