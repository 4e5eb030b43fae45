//! Generates the messages and clients from aisle.binpb, the contract's FileDescriptorSet: no protoc is needed.
use prost::Message;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=aisle.binpb");
    let contract = prost_types::FileDescriptorSet::decode(&*std::fs::read("aisle.binpb")?)?;
    tonic_prost_build::configure()
        .build_server(false)
        .extern_path(".google.rpc", "::tonic_types::pb")
        .compile_fds(contract)?;
    Ok(())
}
